// Excerpts beside search results are read from the pages, which browsers do not allow for files.
if (location.protocol === "file:") {
    DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}
