import { lookAtRole } from '#domain/leadership/role-look.ts'
import { type Clock, runProtocol } from '#server/leadership/run-protocol.ts'
import { EdgeFault } from '../fault.ts'
import { identityOf, knownTerms, partsOf } from '../sync/leadership-parts.ts'
import type { SyncContext } from '../sync/node-context.ts'
import { refuseWhenStopped } from './fetch-copy.ts'
import type { LocalContent } from './local-content.ts'
import type { RemoteCopy } from './remote-copy.ts'

/**
 * Whether this node may overwrite its database by the remote copy [edge#who-may-pull]. Only looks: a pull writes no lease and no fence, so
 * it works on a store that keeps no conditions, and a node that only reads never becomes primary by it.
 */
export async function admitPull(
  context: SyncContext,
  remote: RemoteCopy,
  { local, clock }: { local: LocalContent | null; clock: Clock },
): Promise<void> {
  const { settings, say, stopped } = context
  if (!settings.LEADERSHIP_ENABLED) return
  const protocol = lookAtRole(identityOf(context), await knownTerms(context))
  const look = await runProtocol(protocol, { ...partsOf(context), clock })
  refuseWhenStopped(stopped)
  if (look === null || look.role === 'unknown')
    throw new EdgeFault(
      `the role of this node is not known (${look?.reason}), and nothing was changed: see membridge doctor, or select a primary in the console`,
    )
  if (look.warning !== null)
    say(`WARNING: PRIMARY_NODE_ID names another node than the lease, which has ${look.holder}`)
  if (look.role === 'secondary' || local === null || settings.ALLOW_PRIMARY_PULL_OVERRIDE) return
  throw new EdgeFault(primaryRefusal(local, remote), { exitCode: 2, label: '' })
}

const primaryRefusal = (local: LocalContent, remote: RemoteCopy): string =>
  [
    'PRIMARY: refusing destructive pull overwrite of local DB.',
    `  local:  ${local.sha256} (${local.observations} observations)`,
    `  remote: ${remote.sha256} (${remote.counts.observations ?? 'unknown'} observations)`,
    '  To publish the local database: membridge push',
    '  To take the remote copy: select another primary in the console, then membridge pull',
    '  To overwrite the local database after a safety backup: ALLOW_PRIMARY_PULL_OVERRIDE=1 membridge pull',
  ].join('\n')
