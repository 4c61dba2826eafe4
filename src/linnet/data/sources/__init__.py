"""Files, folders, frames, arrays and dictionaries, read as blocks; reading can start at any saved position."""
