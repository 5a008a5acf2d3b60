import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { secretValues } from '#server/env.ts'
import { EnvFault, givenOf, linesOf } from '#server/environment/env-fault.ts'
import { membridgeFaults, membridgeUrl, membridgeVariables } from '#server/environment/membridge-variables.ts'
import { sharedVariables, storeFaults } from '#server/environment/shared-variables.ts'
import { key, port, webUrl } from '#server/environment/variables.ts'
import { protectSecrets } from '#server/redaction/redact.ts'

/**
 * The environment of the control plane ([control-plane#alone]): a part of the product's own. It generates nothing, since it may run where no
 * home is; a missing secret stops it, named and without its value.
 */
const schema = z
  .object({
    ...sharedVariables,
    ...membridgeVariables,
    PORT: port(3000),
    /** Where the console is: `/ui` links to it. */
    PUBLIC_URL: webUrl.optional(),
    /** Under which addresses of clients are hashed; one of its own when not given. */
    BLOOM_ADDRESS_KEY: key.optional(),
  })
  .superRefine((env, context) => {
    for (const [variable, message] of [...storeFaults(env), ...membridgeFaults(env)])
      context.addIssue({ code: 'custom', path: [variable], message })
  })
  .transform((env) => ({
    ...env,
    PUBLIC_URL: env.PUBLIC_URL ?? `http://localhost:${env.PORT}`,
    MEMBRIDGE_URL: membridgeUrl(env),
    NLM_CALLBACK_URL: env.NLM_CALLBACK_URL ?? membridgeUrl(env),
    BLOOM_ADDRESS_KEY:
      env.BLOOM_ADDRESS_KEY ??
      createHmac('sha256', env.MEMBRIDGE_ADMIN_KEY).update('addresses').digest('base64url'),
  }))

export type ControlPlaneEnv = Readonly<z.infer<typeof schema>>

/** Reads the environment; throws an EnvFault. From then on its secrets are masked in whatever this process writes. */
export function loadControlPlaneEnv(source: Record<string, string | undefined>): ControlPlaneEnv {
  const parsed = schema.safeParse(givenOf(source))
  if (!parsed.success) throw new EnvFault(linesOf(parsed.error))
  protectSecrets(secretValues(parsed.data))
  return Object.freeze(parsed.data)
}
