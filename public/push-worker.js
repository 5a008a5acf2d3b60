/**
 * The console's service worker: it shows notifications and opens the page they lead to. It answers no request and keeps nothing, so pages stay
 * live. A message names words and a path; what it may do besides is nothing: a notification has no actions.
 */
self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

/** The page within this console, its start for anything else. */
const pageOf = (url) => {
  const page = new URL(typeof url === 'string' ? url : '/', self.location.origin)
  return page.origin === self.location.origin ? page.href : self.location.origin
}

self.addEventListener('push', (event) => {
  const { title, body, url, tag, lang } = event.data.json()
  event.waitUntil(
    self.registration.showNotification(title, {
      ...{ body, tag, lang, renotify: true },
      icon: '/icon.svg',
      data: { url: pageOf(url) },
    }),
  )
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data.url))
})

/** In the console that is open already, or in a new window. */
async function open(url) {
  const [shown] = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  if (!shown) return self.clients.openWindow(url)
  try {
    const focused = await shown.focus()
    return await focused.navigate(url)
  } catch {
    return self.clients.openWindow(url)
  }
}
