"""Which kind of image some bytes are, by what they begin with; names and headers can lie."""


def image_type(data: bytes) -> str | None:
    """Return the media type of a JPEG, PNG, GIF or WebP image; None for anything else."""
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    return None
