/** The scopes of keys and programs. */
export type Scope = 'read' | 'chat' | 'write' | 'money' | 'admin'

/** The scopes in plain words for the consent page. `tests/docs/scopes.test.ts` compares them with the routes. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'See everything in your account: agents with their logs, memory, messages and webhooks, usage and costs, wallets and payments, the audit, and the names of your keys',
  chat: 'Talk to your agents, call models and end what they are at, which uses up your plan and your credits',
  write:
    'Make, change and delete agents, and run any image with their credentials: their config, memory, skills, schedules, swarms, restore points, wallets, proofs of who runs them and what they sign in with elsewhere; your webhooks, notifications and lower spend caps',
  money:
    'Spend from your agents’ wallets: splits, settlements, x402 payments and clones; order videos; raise or clear spend caps, and have credits used',
  admin:
    'Make and delete keys, pay for plans, credits and storage, use provider keys of your own, and send your traces elsewhere; with it everything that write opens, but not money',
}
