import { PATTERNS } from '#domain/kernel/ids.ts'
import { ZonePage } from '#features/auth/index.ts'
import { messages } from '#features/auth/messages.ts'
import { serverTranslations } from '#lib/i18n/server.ts'

export const generateMetadata = async () => ({
  title: (await serverTranslations(messages))('enterZone'),
  robots: { index: false, follow: false },
})

/** The page of a zone link: the token is in the fragment and is exchanged by POST. The page reveals nothing about the zone. */
export default async function Page({ params }: { params: Promise<{ zone_id: string }> }) {
  const { zone_id } = await params
  return <ZonePage zoneId={PATTERNS.zone.test(zone_id) ? zone_id : null} terms={null} />
}
