/**
 * What leaves the process without its secrets: log lines, event details, stored error texts ([redaction#what-is-masked]).
 *
 * A value is masked by the name it stands under, at any depth; every string is searched for the configured secrets, longest first,
 * and for what is recognised by its form: credentials in an address, bearer tokens, signed tokens, zone codes, secret parameters.
 */
export const MASK = '****'

/** Configured values below this length are masked as whole words only, or they would blank out ordinary text. */
const SHORT = 8
const MAX_DEPTH = 12

export type Redactor = {
  /** The text without secrets. */
  text(text: string): string
  /** A copy as JSON would have it, without secrets. */
  value(value: unknown): unknown
}

/** A redactor that knows these configured secrets. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const configured = patternOf(secrets)
  const text = (given: string): string => {
    let safe = given
    for (const [pattern, replacement] of FORMS) safe = safe.replace(pattern, replacement)
    return configured ? safe.replace(configured, MASK) : safe
  }
  const walk = (value: unknown, depth: number): unknown => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'bigint') return value.toString()
    if (typeof value !== 'object' || value === null) return value
    if (depth === MAX_DEPTH) return '…'
    if ('toJSON' in value && typeof value.toJSON === 'function') return walk(value.toJSON(), depth)
    if (Array.isArray(value)) return value.map((item) => walk(item, depth + 1))
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        text(name),
        isSecret(name, item) ? MASK : walk(item, depth + 1),
      ]),
    )
  }
  return { text, value: (value) => walk(value, 0) }
}

const CROCKFORD = '[0-9A-HJKMNP-TV-Z]'
const ZONE_CODE = `ZONE-${CROCKFORD}{4}-${CROCKFORD}{4}`

const FORMS: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s:/@]*:[^\s"'<>]*@/gi, `$1${MASK}@`],
  [/\b(Bearer\s+)[\w.~+/=-]{16,}/gi, `$1${MASK}`],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, MASK],
  [/([?&#](?:token|code|key|secret|password|signature)=)[^&#\s"']+/gi, `$1${MASK}`],
  [new RegExp(`\\b${ZONE_CODE}\\b`, 'gi'), MASK],
  // A machine key; its id stays, which says which one it was.
  [/\b(gbk_[0-9a-f]{16}_)[\w-]{8,}/g, `$1${MASK}`],
]

function patternOf(secrets: Iterable<string>): RegExp | null {
  const forms = [...secrets].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
  ])
  const unique = [...new Set(forms.filter(Boolean))].sort((a, b) => b.length - a.length)
  if (unique.length === 0) return null
  const escaped = unique.map((secret) => {
    const literal = secret.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')
    return secret.length < SHORT ? `(?<!\\w)${literal}(?!\\w)` : literal
  })
  return new RegExp(escaped.join('|'), 'g')
}

/** Names that end in `key` and name a place or an object, not a secret. */
const PUBLIC_KEYS = new Set(['object_key', 'public_key', 'primary_key', 'foreign_key', 'content_key'])

function isSecret(name: string, value: unknown): boolean {
  // A flag or an absent value tells nothing.
  if (value === null || value === undefined || typeof value === 'boolean') return false
  const plain = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  if (plain === 'code') return typeof value === 'string' && isEntryCode(value)
  if (/(?:zone|sign_in|access|login)_code$/.test(plain)) return true
  // Numbers of tokens are counts of a model's words.
  if (plain.includes('token')) return typeof value !== 'number'
  if (/password|passwd|authorization|cookie/.test(plain)) return true
  return /(?:^|_)secret$/.test(plain) || (plain.endsWith('_key') && !PUBLIC_KEYS.has(plain))
}

/** Codes of errors: our own and the system's, SQLSTATE, the validator's. */
const ERROR_CODE = /^(?:[A-Z]+(?:_[A-Z0-9]+)*|[0-9A-Z]{5}|[a-z]+(?:[_.-][a-z0-9]+)*)$/
const TYPED_ZONE_CODE = /^z[o0]ne[\s–—-]?[0-9a-z]{4}[\s–—-]?[0-9a-z]{4}$/i

/** Under the name `code`: a sign-in or zone code, as against the code of an error, which stays. */
const isEntryCode = (code: string): boolean => TYPED_ZONE_CODE.test(code) || !ERROR_CODE.test(code)
