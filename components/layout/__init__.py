"""The frame around every page: navigation, palette, notices, and the bare frame of public pages."""
