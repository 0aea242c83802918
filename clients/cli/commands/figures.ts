import { buildRouteMap } from '@stricli/core'
import { Platform } from '../../typescript/index.ts'
import { agentId } from '../agent.ts'
import type { Cli, CommonFlags } from '../cli.ts'
import { command, flag } from '../command.ts'
import { CommandError, exitCodes } from '../failure.ts'
import { csvOf } from '../table.ts'

const views = {
  day: 'GET /api/usage/daily',
  agent: 'GET /api/usage/by-agent',
  model: 'GET /api/usage/by-model',
  key: 'GET /api/usage/by-key',
} as const

export const usage = command(
  {
    brief: 'Show usage and cost',
    flags: {
      days: flag.number('The number of days'),
      by: flag.text('Group by agent, model, day or key'),
      csv: flag.yes('Print comma-separated values'),
    },
  },
  async (cli, flags) => {
    const { by = 'day', days } = flags
    if (!(by in views))
      throw new CommandError(exitCodes.usage, `--by must be agent, model, day or key`)
    const operation = views[by as keyof typeof views]
    const { data } = await cli.ask<{ data: Record<string, unknown>[] }>(flags, operation, {
      query: { days },
    })
    if (flags.csv && !flags.json) cli.data(`${csvOf(data)}\r`)
    else cli.list(flags, data, Object.keys(data[0] ?? {}))
  },
)

const capFlags = {
  agent: flag.text('Only for this agent'),
  day: flag.yes('The cap of a day in UTC instead of a month'),
}

export const cap = buildRouteMap({
  docs: { brief: 'Manage the monthly and the daily spend cap' },
  routes: {
    set: command(
      { brief: 'Set the cap, in USD', args: ['usd'], flags: capFlags },
      async (cli, flags, usd) => {
        const amount = Number(usd)
        if (!(amount >= 0))
          throw new CommandError(exitCodes.usage, `${usd} is not an amount of USD`)
        await setCap(cli, flags, amount)
      },
    ),
    clear: command({ brief: 'Remove the cap', flags: capFlags }, (cli, flags) =>
      setCap(cli, flags, null),
    ),
  },
})

async function setCap(
  cli: Cli,
  flags: CommonFlags & { agent: string | undefined; day: boolean },
  usd: number | null,
): Promise<void> {
  const words = () => (usd === null ? 'No cap' : `${usd} USD a ${flags.day ? 'day' : 'month'}`)
  const change = flags.day ? { spendCapUsdPerDay: usd } : { spendCapUsd: usd }
  if (flags.agent === undefined) {
    const answer = await cli.ask(flags, 'PATCH /api/settings', { body: change })
    return cli.show(flags, answer, words)
  }
  const params = { id: await agentId(cli, flags, flags.agent) }
  // The gateway reads the cap on every call, so the container does not need a restart.
  const input = { params, query: { apply: 'false' }, body: { config: change } }
  cli.show(flags, await cli.ask(flags, 'PUT /api/agents/{id}/config', input), words)
}

interface Priced {
  id: string
  inputCost: number | null
  outputCost: number | null
}

export const estimate = command(
  {
    brief: 'Estimate the cost of a model call',
    args: ['model'],
    flags: {
      prompt: flag.text('The prompt'),
      in: flag.number('Input tokens, instead of a prompt'),
      out: flag.number('Maximum output tokens'),
    },
  },
  async (cli, flags, model) => {
    if (flags.prompt === undefined && flags.in === undefined)
      throw new CommandError(exitCodes.usage, 'estimate requires --prompt, or --in and --out')
    if (flags.prompt !== undefined) {
      const body = { model, prompt: flags.prompt, maxTokens: flags.out }
      const answer = await cli.ask(flags, 'POST /api/estimate', { body })
      const { low, high, capRemaining: left } = answer
      const ofCap = left === null ? '' : `; ${left} USD left of the spend cap`
      return cli.show(flags, answer, () => `${String(low)} to ${String(high)} USD${ofCap}`)
    }
    const { models } = await cli.ask<{ models: Priced[] }>(flags, 'GET /api/models')
    const found = models.find(({ id }) => id === model)
    if (found === undefined)
      throw new CommandError(exitCodes.notFound, `No model ${model}`, 'agents models')
    const [input = 0, output = 0] = [flags.in, flags.out]
    const costOf = (tokens: number, perMillion: number | null) =>
      perMillion === null ? null : (tokens * perMillion) / 1_000_000
    const [low, more] = [costOf(input, found.inputCost), costOf(output, found.outputCost)]
    const high = low === null || more === null ? null : low + more
    const answer = { model, inputTokens: input, low, high, currency: 'USD' }
    cli.show(flags, answer, () => (high === null ? 'The price is unknown' : `${high} USD`))
  },
)

export const models = command({ brief: 'List the available models' }, async (cli, flags) => {
  const answer = await cli.ask(flags, 'GET /api/models')
  cli.list(flags, answer.models, ['id', 'provider', 'contextWindow', 'inputCost', 'outputCost'])
})

export const status = command(
  { brief: 'Show whether the platform is ready' },
  async (cli, flags) => {
    const platform = new Platform({ baseUrl: cli.urlOf(flags) })
    const answer = await platform.request('GET /health/ready', {}, { signal: cli.signal })
    cli.show(flags, answer, () => `${cli.urlOf(flags)} is ${answer.status}`)
  },
)
