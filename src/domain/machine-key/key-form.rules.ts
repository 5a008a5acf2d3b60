/**
 * The form of a machine key ([keys#form]): `gbk_<id>_<secret>`. The id names the row and is no secret; the secret is 256 random bits in
 * base64url, which may hold `_` itself, so a key is read from its left.
 */
export const KEY_ID_BYTES = 8
export const KEY_SECRET_BYTES = 32

const FORM = /^gbk_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/

export const keyText = (keyId: string, secret: string): string => `gbk_${keyId}_${secret}`

/** The id that a key names, or null for what has not the form of one. */
export const keyIdOf = (presented: string): string | null => FORM.exec(presented)?.[1] ?? null
