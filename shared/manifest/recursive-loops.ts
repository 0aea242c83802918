import type { FunctionSpec } from './functions.ts'

type Node = Pick<FunctionSpec, 'name' | 'trigger' | 'grants'>

/**
 * Lambda invokes a function about this often in one chain of messages and invocations, and then stops the chain, unless the
 * function's recursion configuration allows the loop.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
export const maxInvocationsInChain = 16

/** Returns the names of the functions whose messages or invocations can lead back to themselves, by their grants. */
export function functionsInLoops(functions: readonly Node[]): ReadonlySet<string> {
  const next = new Map(functions.map((spec) => [spec.name, receivers(spec, functions)]))
  const reachesItself = (name: string): boolean => {
    const seen = new Set<string>()
    const open = [name]
    for (let one = open.pop(); one !== undefined; one = open.pop())
      for (const receiver of next.get(one) ?? []) {
        if (receiver === name) return true
        if (!seen.has(receiver)) open.push(receiver)
        seen.add(receiver)
      }
    return false
  }
  return new Set([...next.keys()].filter(reachesItself))
}

/** Returns the names of the functions that receive a function's messages or invocations. */
function receivers({ grants }: Node, functions: readonly Node[]): string[] {
  return grants.flatMap((grant) => {
    if ('invoke' in grant) return [grant.invoke]
    if (!('send' in grant)) return []
    const receives = ({ trigger }: Node) => trigger.kind === 'queue' && trigger.queue === grant.send
    return functions.filter(receives).map(({ name }) => name)
  })
}
