"""Widgets that know neither state nor texts: everything a person reads or triggers is handed in."""
