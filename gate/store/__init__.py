"""Where holds, decisions and the log live: the port, its SQLite form, and the tables."""
