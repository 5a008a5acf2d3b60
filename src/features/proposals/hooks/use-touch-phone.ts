'use client'
import { useMedia } from '#lib/use-media.ts'

/** A finger on a narrow screen: where one proposal fills it, and the tab bar gives way to its acts. */
export const useTouchPhone = (): boolean => useMedia('(pointer: coarse) and (width < 52rem)')
