import { webAppManifest } from '#features/shell/index.ts'
import { readLocale } from '#lib/i18n/server.ts'

/** `/manifest.webmanifest`: what makes the console installable. */
export default async function manifest() {
  return webAppManifest(await readLocale())
}
