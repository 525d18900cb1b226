"""PubTabNet (Zhong et al. 2020): pictures of tables and their HTML."""
