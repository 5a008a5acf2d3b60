/** The one form of a tag ([garden#tags]): of notes, artifacts, zones, proposals and filters. Written without `#`. */
export const TAG = /^[\p{L}\p{N}][\p{L}\p{N}:_/-]{0,63}$/u

/** A tag as it is kept: without `#`, composed, so that the same letters are the same tag. */
export const bareTag = (text: string): string => text.trim().replace(/^#/, '').normalize('NFC')

export const isTag = (text: string): boolean => TAG.test(text)

/** Tags are compared without `#` and letter case. */
export const foldTag = (tag: string): string => bareTag(tag).toLowerCase()
