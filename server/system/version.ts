import manifest from '../../package.json' with { type: 'json' }

/** The version of this build, shown to people who are signed in. */
export const VERSION: string = manifest.version
