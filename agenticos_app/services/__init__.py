"""The rules. Plain functions: transaction first, schemas out."""
