import pytest
from psycopg._queries import MAX_CACHED_STATEMENT_LENGTH
from sqlalchemy import TextClause
from sqlalchemy.dialects.postgresql import psycopg

from agenticos_app.repos import records


@pytest.mark.parametrize("name", ["_SAVE", "_END"])
def test_the_driver_remembers_the_statement(name: str) -> None:
    statement: TextClause = getattr(records, name)
    assert len(str(statement.compile(dialect=psycopg.dialect()))) <= MAX_CACHED_STATEMENT_LENGTH
