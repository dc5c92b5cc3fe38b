"""Plain Python that everything else stands on: ids, paging, time, text."""
