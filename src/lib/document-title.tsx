'use client'
import { useEffect } from 'react'
import { PRODUCT } from './product.ts'

/** Names the tab after the object that is shown, for as long as it is, so that tabs and the browser's history can be told apart. */
export function DocumentTitle({ name }: { name: string }) {
  useEffect(() => {
    const [before, own] = [document.title, `${name} · ${PRODUCT}`]
    document.title = own
    // Another page that has named the tab meanwhile keeps its name.
    return () => {
      if (document.title === own) document.title = before
    }
  }, [name])
  return null
}
