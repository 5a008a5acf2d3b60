import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './globals.css'
import type { Metadata, Viewport } from 'next'
import { cookies } from 'next/headers'
import type { ReactNode } from 'react'
import { messagesOf } from '#features/shell/room-messages.ts'
import { LanguageProvider } from '#lib/i18n/provider.tsx'
import { readLocale } from '#lib/i18n/server.ts'
import { readDensity, readTheme, readTimeZone } from '#lib/preferences.ts'
import { PRODUCT } from '#lib/product.ts'
import { SCHEMES, themeColor } from '#lib/theme-colors.ts'

export const metadata: Metadata = {
  title: { default: PRODUCT, template: `%s · ${PRODUCT}` },
  icons: { icon: '/icon.svg', apple: '/icons/apple-touch-icon.png' },
  appleWebApp: { capable: true, title: PRODUCT },
  robots: { index: false, follow: false },
}

/** Under the rounded corners and the home bar, too: what is fixed to an edge keeps clear of them (base.css). */
export async function generateViewport(): Promise<Viewport> {
  const theme = readTheme((await cookies()).get('theme')?.value)
  return {
    width: 'device-width',
    initialScale: 1,
    viewportFit: 'cover',
    themeColor: SCHEMES.map((scheme) => ({
      media: `(prefers-color-scheme: ${scheme})`,
      color: themeColor(theme, scheme),
    })),
  }
}

/** Language, theme, density and zone are known before the first byte, so nothing flashes and no inline script is needed. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const [locale, jar] = await Promise.all([readLocale(), cookies()])
  const theme = readTheme(jar.get('theme')?.value)
  const density = readDensity(jar.get('density')?.value)
  return (
    <html
      lang={locale}
      data-theme={theme === 'system' ? undefined : theme}
      data-density={density === 'compact' ? density : undefined}
      suppressHydrationWarning
    >
      <body>
        <LanguageProvider
          locale={locale}
          messages={messagesOf(locale)}
          now={Date.now()}
          timeZone={readTimeZone(jar.get('timezone')?.value)}
        >
          {children}
        </LanguageProvider>
      </body>
    </html>
  )
}
