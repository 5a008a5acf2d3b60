'use client'
import { useQuery } from '@tanstack/react-query'
import { useTRPC } from '#lib/trpc.tsx'
import { Link } from '#ui/link.tsx'

/** A rule by its name, leading to the rules; by its id once it was removed, or while its name is on the way. */
export function RuleName({ id }: { id: string }) {
  const { data } = useQuery(useTRPC().approvalRules.list.queryOptions())
  const name = data?.items.find((rule) => rule.rule_id === id)?.name
  return <Link href="/settings">{name ?? <code className="font-mono text-sm">{id}</code>}</Link>
}
