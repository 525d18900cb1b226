// Loaded before the first paint, so that a chosen theme does not flash.
(() => {
  const ORDER = ["system", "light", "dark"];
  const read = () => {
    try {
      return localStorage.getItem("galley-theme") ?? "system";
    } catch {
      return "system"; // storage is off
    }
  };
  const apply = (theme) => {
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    const button = document.getElementById("theme-button");
    if (button) button.textContent = `Theme: ${theme}`;
  };
  let theme = ORDER.includes(read()) ? read() : "system";
  apply(theme);
  document.addEventListener("DOMContentLoaded", () => {
    apply(theme);
    document.getElementById("theme-button").addEventListener("click", () => {
      theme = ORDER[(ORDER.indexOf(theme) + 1) % ORDER.length];
      try {
        localStorage.setItem("galley-theme", theme);
      } catch {
        // Storage is off: the choice lasts as long as the page.
      }
      apply(theme);
    });
  });
})();
