/** A guest who goes on reading a note is recorded at most once in so many seconds ([zones#readings]). */
export const READING_SECONDS = 60
/** Reads of a note that are less than so many minutes apart are one opening: an open page asks for its note every minute. */
export const OPENING_MINUTES = 5
/** So many days after a guest last read a note, that is forgotten. */
export const READING_DAYS = 90
