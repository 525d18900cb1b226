"""Workers that carry out tasks beside the caller: processes of this machine, or actors of a Ray cluster.

``protocol`` says what a worker is. ``processes`` and ``ray`` are two kinds of them. ``batch_pool`` drives either
kind from a loop that waits (the command line); ``async_pool`` drives processes from an event loop (the server).

The pools are our own: those of ``concurrent.futures`` and ``pebble`` give one result per task, so that a worker that
dies takes all pages of its task with it, and know neither several tasks in one worker nor owners that take turns.
"""
