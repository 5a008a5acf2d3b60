/** `npm run requeue -- <job id …|--dead> [--reason <text>]`: see server/composition/requeue-jobs.ts. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('in-home.mjs', ['web', 'server/composition/requeue-jobs.ts'])
