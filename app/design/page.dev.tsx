'use client'
import dynamic from 'next/dynamic'

/** Drawn in the browser alone: its samples are dated from now, which the server's first paint would not agree with. */
export default dynamic(() => import('#features/design/index.ts').then((room) => room.DesignPage), {
  ssr: false,
})
