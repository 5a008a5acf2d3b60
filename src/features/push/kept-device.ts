import { keepIn, readFrom } from '#lib/kept.ts'

const KEPT = 'push-device'

/** The id under which the console lists this browser; null when it was never switched on here. */
export const keptDevice = (): string | null => readFrom<string>('local', KEPT)
export const keepDevice = (id: string | null): void => keepIn('local', KEPT, id)
