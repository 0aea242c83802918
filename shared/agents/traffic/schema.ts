import * as z from 'zod'

const counted = (what: string) =>
  z
    .number()
    .nullable()
    .describe(`${what} today, as of the last check; null if nothing was counted, as on one machine`)

const trafficToday = z
  .object({
    date: z.string().describe('The day, in UTC'),
    sentBytes: counted('Bytes that its containers sent'),
    printedBytes: counted('Bytes that its containers wrote to the log'),
    includedBytes: z.number().describe('Sent bytes a day, above which its owner gets a mail'),
    mostBytes: z.number().describe('Sent bytes a day, at which the agent is stopped'),
  })
  .meta({ id: 'AgentTraffic' })

export const trafficAnswer = z.object({ traffic: trafficToday })
