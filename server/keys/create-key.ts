import type { CreatedKey, CreateKey } from '#contracts/key.contract.ts'
import type { Caller } from '#domain/authority/caller.ts'
import type { Result } from '#domain/kernel/result.ts'
import type { Services } from '#server/services.ts'
import { makeKey } from './make-key.ts'

/** Makes a key for a node. Its secret is in this answer and nowhere else. */
export const createKey = (
  services: Pick<Services, 'db'>,
  input: CreateKey,
  caller: Caller,
): Promise<Result<CreatedKey>> => services.db.transaction((tx) => makeKey(tx, input, caller))
