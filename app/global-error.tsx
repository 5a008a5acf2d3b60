'use client'
import './globals.css'

/** When even the frame failed: plain words in both languages, no provider needed. */
export default function GlobalError({ error }: { error: Error & { digest?: string } }) {
  return (
    <html lang="en">
      <body className="grid min-h-dvh place-items-center p-6">
        <main className="max-w-md">
          <h1 className="text-lg font-semibold">The console stopped · Консоль зупинилася</h1>
          <p className="mt-2 text-ink-2">
            What was stored is safe. Reload the page. · Збережене в безпеці. Оновіть сторінку.
          </p>
          {error.digest ? <p className="mt-3 font-mono text-sm">{error.digest}</p> : null}
        </main>
      </body>
    </html>
  )
}
