import { expect, it } from 'vitest'
import { allRoutes } from '../support/routes.ts'

/** Routes that may change something and write nothing into the audit, each with the reason. */
const without: Readonly<Record<string, string>> = {
  'web auth.signIn':
    'begins a session, which decides nothing; too many failures are counted by account',
  'web auth.signOut': 'ends the one session that asks for it',
  'web auth.forgotPassword': 'asks for a mail; the link that it carries is audited when it is used',
  'web settings.changeAccount':
    'changes the name, or asks for a mail; the address changes with its link',
  'web keys.validate': 'reads',
  'backend keys.validate': 'reads',
  'web wallet.createNonce': 'gives out a number to sign',
  'web farcaster.verify':
    'makes no account and no session of the platform’s: its token is signed, not stored',
  'web farcaster.refresh': 'as farcaster.verify',
  'web tokenGating.verify': 'reads a chain',
  'web heartbeat.update': 'says how often an installation is heard of',
  'web heartbeat.reset': 'as heartbeat.update',
  'web agents.createTicket': 'a link for its own user, good once and for a minute',
  'web agents.resetMemory': 'what an agent remembers: no money, access, credential or existence',
  'backend agents.resetMemory': 'as on the web',
  'web memory.write': 'as agents.resetMemory',
  'web skills.install': 'what an agent can do, free of charge',
  'web skills.uninstall': 'as skills.install',
  'web skills.use': 'a turn with an agent; its calls of models are usage events',
  'web chat.send': 'as skills.use',
  'web demo.send': 'a turn with a model, by an unknown caller',
  'web scheduledTasks.create': 'what an agent is asked and when; each run is a row',
  'web scheduledTasks.update': 'as scheduledTasks.create',
  'web scheduledTasks.delete': 'as scheduledTasks.create',
  'web swarms.create': 'which agents are asked together',
  'web swarms.run': 'turns with agents',
  'web usage.writeTest': 'writes and removes a test row',
  'backend ai.chat': 'a call of a model; it is a usage event',
  'backend openai.chat.completions.create': 'as ai.chat',
  'backend agents.bootstrap': 'a container fetches what its start was given',
  'backend agents.logs.stop': 'ends streams that are being read',
  'backend models.select': 'reads',
  'backend models.estimateCost': 'reads',
  'backend usage.report': 'an agent reports its tools; they are usage events',
}

const routes = await allRoutes()
const mutating = routes
  .filter(({ route }) => route.method !== 'GET')
  .map(({ surface, route }) => ({ name: `${surface} ${route.name}`, audits: route.audits ?? [] }))

it.each(mutating)('$name names what it writes into the audit, or why it does not', (one) => {
  const { name, audits } = one
  expect(audits.length > 0, 'it names actions').toBe(without[name] === undefined)
})

it('gives no reason for a route that is none', () => {
  expect(mutating.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(without)))
})

it('asks nothing of the audit of a route that only reads, but the links that browsers open', () => {
  const reading = routes.filter(({ route }) => route.method === 'GET' && route.audits !== undefined)
  expect(reading.map(({ route }) => route.name).sort()).toEqual([
    'auth.codehost.finish',
    'auth.idp.finish',
    'auth.openVerificationLink',
  ])
})
