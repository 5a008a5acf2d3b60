/**
 * The one redactor of this process ([redaction#purpose]). Whoever reads the environment registers its secrets before anything can be
 * logged or recorded. Kept on globalThis, because the framework bundles its routes apart and each would have a list of its own.
 */
import { createRedactor, type Redactor } from '#domain/secret/redact.rules.ts'

const REDACTION = Symbol.for('garden-bloom.redaction')
type State = { secrets: Set<string>; redactor: Redactor }
type Holder = { [REDACTION]?: State }

function state(): State {
  const holder = globalThis as Holder
  holder[REDACTION] ??= { secrets: new Set(), redactor: createRedactor([]) }
  return holder[REDACTION]
}

/**
 * From now on no log line, event or stored error of this process shows these values. Every text is searched for every one of them: it is meant for
 * the secrets of a configuration, not for those of a request.
 */
export function protectSecrets(values: readonly string[]): void {
  const current = state()
  if (values.every((value) => current.secrets.has(value))) return
  for (const value of values) current.secrets.add(value)
  current.redactor = createRedactor(current.secrets)
}

/** The text without secrets. */
export const redactText = (text: string): string => state().redactor.text(text)

/** A copy of the value, as JSON would have it, without secrets. */
export const redact = <T>(value: T): T => state().redactor.value(value) as T
