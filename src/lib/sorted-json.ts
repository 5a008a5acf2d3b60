/** A value as indented JSON with its keys in order, so that two equal values are equal texts, line by line. */
export const sortedJson = (value: unknown): string =>
  `${JSON.stringify(value, (_key, inner: unknown) => (isObject(inner) ? sorted(inner) : inner), 2)}\n`

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

const sorted = (value: Record<string, unknown>) =>
  Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, value[key]]),
  )
