/** The scopes of keys and programs. */
export type Scope = 'read' | 'chat' | 'write' | 'money' | 'admin'

/** Rows of users that keys with the scope `write` change; each name is also the tag of its routes. */
export const belongings = ['webhooks']

/** The scopes in plain words for the consent page. `tests/docs/scopes.test.ts` compares them with the routes. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  read: 'Read everything in your account: agents with their logs, memory, files, messages and webhooks, usage and costs, wallets and payments, the audit log, and the names of your keys',
  chat: 'Chat with your agents, call models and cancel runs, which uses your plan and your credits',
  write: `Create, change and delete agents, and run any image with their credentials: their config, memory, files, skills, schedules, swarms, restore points, wallets, verifications, channels, connections and credentials for other services; decide what your agents ask; your ${belongings.join(', ')}, notifications and lower spend caps`,
  money:
    'Spend from your agents’ wallets: splits, settlements, x402 payments and clones; set what your agents may pay, and approve their payments; order videos; raise or clear spend caps, and allow the use of credits',
  admin:
    'Create and delete keys, pay for plans and credits, use your own provider keys, and send your traces to a collector; includes write, but not money',
}
