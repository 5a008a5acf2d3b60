/** `npm run verify`: verifies the audit, see server/composition/verify-audit.ts. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('in-home.mjs', ['owner', 'server/composition/verify-audit.ts'])
