/** `npm run edge:pack [-- --out FOLDER]`: the one archive that nodes run, see edge-archive.mjs. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('pack-edge.mjs')
