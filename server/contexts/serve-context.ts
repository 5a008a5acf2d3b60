import { ok, type Result, refuse } from '#domain/kernel/result.ts'
import { contextKey, getVerified } from '#server/ports/object-store.ts'
import type { Services } from '#server/services.ts'
import { isContextPathGood } from './signed-address.ts'

type Parts = Pick<Services, 'store'> & { env: Pick<Services['env'], 'BLOOM_JOB_TOKEN_KEY'> }

/** The bytes of a snapshot for the bearer of a signed address, `now` by the database's clock, which dated it: 403 for any other, 404 when it is not there. */
export async function serveContext(
  { store, env }: Parts,
  address: { sha256: string; expires: number; signature: string },
  now: Date,
): Promise<Result<Uint8Array>> {
  if (!/^[0-9a-f]{64}$/.test(address.sha256)) return refuse({ code: 'NOT_FOUND', message: 'Not found.' })
  if (!(await isContextPathGood(env.BLOOM_JOB_TOKEN_KEY, address, now))) {
    return refuse({
      code: 'FORBIDDEN',
      message: 'This address is invalid or has expired. Ask for the context again.',
    })
  }
  const bytes = await getVerified(store, contextKey(address.sha256), address.sha256)
  return bytes ? ok(bytes) : refuse({ code: 'NOT_FOUND', message: 'Not found.' })
}
