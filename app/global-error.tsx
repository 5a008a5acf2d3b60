'use client'
import './globals.css'

/** The error page when the root layout itself failed: text in both languages, without a provider. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body className="grid min-h-dvh place-items-center p-6">
        <main className="max-w-md">
          <h1 className="text-lg font-semibold">The console crashed · Помилка консолі</h1>
          <p className="mt-2 text-ink-2">
            Saved data isn’t affected. Reload the page. · Збережені дані не постраждали. Оновіть сторінку.
          </p>
          {error.digest ? <p className="mt-3 font-mono text-sm">{error.digest}</p> : null}
        </main>
      </body>
    </html>
  )
}
