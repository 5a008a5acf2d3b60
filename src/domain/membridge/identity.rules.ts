/**
 * How projects and nodes are named ([membridge#names]). Names of both become parts of object keys, so a name that could leave its folder is none.
 */
export const NAME_MAX = 128

/** A canonical id as nodes may send it: their own form is admitted, a name of dots alone is not. */
const CANONICAL_ID = /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/

export const isCanonicalId = (text: string): boolean => CANONICAL_ID.test(text)

/** The id that a project's name stands for: the first 16 hex digits of the SHA-256 of its UTF-8 bytes. */
export const canonicalIdOf = (name: string, sha256Hex: (utf8: string) => string): string =>
  sha256Hex(name).slice(0, 16)

const CONTROL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u

/** A name of one line that people can read: of a project, or of an agent. */
export const isName = (text: string): boolean =>
  text.length >= 1 && text.length <= NAME_MAX && text === text.trim() && !CONTROL.test(text)

/** A node's own name for itself; it may hold `/` and `:`, as addresses do, but nothing that climbs. */
export const isNodeId = (text: string): boolean => isName(text) && text !== '.' && !text.includes('..')

/** What one that is refused is told. */
export const NODE_ID_FORM = 'must be one line of 1 to 128 characters without ".."'

/** The node id as a part of an object key. Two ids may share it, so it identifies nothing. */
export const nodeIdInKey = (nodeId: string): string => nodeId.replaceAll(/[/:]/g, '_')
