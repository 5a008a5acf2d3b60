import manifest from '../../package.json' with { type: 'json' }

/** The version of this program, as heartbeats and `/health` tell it. */
export const VERSION: string = manifest.version
