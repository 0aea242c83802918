import { sizeAtAws } from './physical.ts'
import {
  between,
  children,
  each,
  ofType,
  oneOf,
  property,
  resource,
  stage,
  unique,
} from './rule.ts'
import type { Resource, Rule, Stage } from './rule.ts'

const api = 'https://docs.aws.amazon.com/lambda/latest/api/'
const guide = 'https://docs.aws.amazon.com/lambda/latest/dg/'

const fn = 'aws:lambda/function:Function'
const consumer = 'aws:lambda/eventSourceMapping:EventSourceMapping'
const queue = 'aws:sqs/queue:Queue'

const lambda = (inputs: Resource['inputs'], name?: string) => resource(fn, inputs, name)

/** Lambda keeps this many instances for functions without a reservation. */
const unreserved = 100
/** The quota of an account in a region, once it is not new any more. */
const accountInstances = 1000
/** Instances that other applications of the account reserve. */
const othersReserve = 200

const reservedBy = (stages: readonly Stage[]) =>
  ofType(stages, fn).reduce(
    (sum, { inputs }) => sum + Math.max(0, Number(inputs.reservedConcurrentExecutions ?? 0)),
    othersReserve,
  )

/** Returns the function that a consumer invokes. The mocks' ARN contains the name, and the alias after it. */
function consumedBy({ inputs }: Resource, { resources }: Stage): Resource | undefined {
  const [, name] = /:function:([^:]+)/.exec(String(inputs.functionName)) ?? []
  return resources.find((one) => one.type === fn && one.inputs.name === name)
}

/** Returns the queue of a consumer. The mocks' ARN contains its logical name. */
function queueOf({ inputs }: Resource, { resources }: Stage): Resource | undefined {
  const name = String(inputs.eventSourceArn).split(':').at(-1)
  return resources.find((one) => one.type === queue && one.name === name)
}

const work = { name: 'work', timeout: 30, reservedConcurrentExecutions: 10 }
const consuming = {
  eventSourceArn: 'arn:aws:sqs:eu-west-1:123456789012:Work',
  functionName: 'arn:aws:lambda:eu-west-1:123456789012:function:work:live',
}

export const lambdaRules: Rule[] = [
  property({
    type: fn,
    property: 'name',
    allows: /^[a-zA-Z0-9-_]{1,64}$/,
    refuses: ['x'.repeat(65), 'web.accounts', ''],
    source: `${api}API_CreateFunction.html`,
  }),
  unique({ type: fn, property: 'name', source: `${api}API_CreateFunction.html` }),
  property({
    type: fn,
    property: 'description',
    allows: /^[^]{0,256}$/,
    refuses: ['x'.repeat(257)],
    source: `${api}API_CreateFunction.html`,
  }),
  property({
    type: fn,
    property: 'timeout',
    ...between(1, 900),
    refuses: [0, 901],
    source: `${guide}gettingstarted-limits.html`,
  }),
  property({
    type: fn,
    property: 'memorySize',
    // An account with few Lambda calls gets no more than 3,008 MB.
    ...between(128, 3008),
    refuses: [64, 3009, 10_241],
    source: `${guide}troubleshooting-deployment.html`,
  }),
  property({
    type: fn,
    property: 'environment.variables',
    rule: 'have names of letters, digits and underscores',
    allows(value) {
      return Object.keys(value as object).every((name) => /^[a-zA-Z]\w+$/.test(name))
    },
    refuses: [{ 'QUEUE-URL': '' }, { _NAME: '' }, { '1ST': '' }],
    source: `${api}API_Environment.html`,
  }),
  each(fn, {
    rule: 'the environment of a function has at most 4 KB, with physical names',
    source: `${guide}gettingstarted-limits.html`,
    breach({ inputs }, own) {
      const { variables = {} } = (inputs.environment ?? {}) as { variables?: object }
      const bytes = sizeAtAws(JSON.stringify(variables), own)
      return bytes > 4096 ? `has an environment of ${bytes} bytes` : undefined
    },
    refuses: [
      [lambda({ environment: { variables: { LIST: 'x'.repeat(4096) } } })],
      // Short under the mocks, long at AWS.
      [
        lambda({
          environment: { variables: { URLS: 'https://sqs/123456789012/Q '.repeat(80) } },
        }),
        resource(queue, { name: 'q'.repeat(80) }, 'Q'),
      ],
    ],
  }),
  {
    rule: `the reservations of an account leave ${unreserved} instances for all other functions`,
    source: `${guide}configuration-concurrency.html`,
    breaches(stages) {
      const free = accountInstances - reservedBy(stages)
      return free < unreserved ? [`${free} of ${accountInstances} are left`] : []
    },
    checks: (stages) => ofType(stages, fn).length,
    refuses: [
      [1, 2].map((part) =>
        stage([lambda({ reservedConcurrentExecutions: 400 })], `example-${part}`),
      ),
    ],
  },
  property({
    type: 'aws:lambda/alias:Alias',
    property: 'name',
    allows: /^(?!^\d+$)[a-zA-Z0-9-_]{1,128}$/,
    refuses: ['1', '$LATEST', 'a b'],
    source: `${api}API_CreateAlias.html`,
  }),
  property({
    type: 'aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig',
    property: 'maximumEventAgeInSeconds',
    ...between(60, 21_600),
    refuses: [59, 86_400],
    source: `${api}API_PutFunctionEventInvokeConfig.html`,
  }),
  property({
    type: 'aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig',
    property: 'maximumRetryAttempts',
    ...between(0, 2),
    refuses: [3, -1],
    source: `${api}API_PutFunctionEventInvokeConfig.html`,
  }),
  property({
    type: consumer,
    property: 'scalingConfig.maximumConcurrency',
    ...between(2, 1000),
    refuses: [1, 1001],
    source: `${api}API_ScalingConfig.html`,
  }),
  property({
    type: consumer,
    property: 'functionResponseTypes[]',
    ...oneOf(['ReportBatchItemFailures']),
    refuses: ['BatchItemFailures'],
    source: `${api}API_CreateEventSourceMapping.html`,
  }),
  each(consumer, {
    rule: 'a batch of more than 10 messages has a window of at least a second',
    source: `${guide}services-sqs-configure.html`,
    breach({ inputs }) {
      const { batchSize = 10, maximumBatchingWindowInSeconds: window = 0 } = inputs
      if (Number(batchSize) > 10_000 || Number(window) > 300)
        return `has batches of ${String(batchSize)} in ${String(window)} s`
      return Number(batchSize) > 10 && Number(window) < 1 ? 'has no window' : undefined
    },
    refuses: [
      [resource(consumer, { batchSize: 11 })],
      [resource(consumer, { batchSize: 10_001, maximumBatchingWindowInSeconds: 5 })],
      [resource(consumer, { batchSize: 10, maximumBatchingWindowInSeconds: 301 })],
    ],
  }),
  each(consumer, {
    rule: 'a queue hides its messages for at least as long as its consumer may run',
    source: `${guide}services-sqs-configure.html`,
    breach(mapping, own) {
      const timeout = Number(consumedBy(mapping, own)?.inputs.timeout ?? Number.NaN)
      const hidden = Number(queueOf(mapping, own)?.inputs.visibilityTimeoutSeconds ?? Number.NaN)
      return hidden >= timeout ? undefined : `runs for ${timeout} s; the queue hides for ${hidden}`
    },
    refuses: [
      [
        resource(consumer, consuming),
        lambda(work),
        resource(queue, { visibilityTimeoutSeconds: 29 }, 'Work'),
      ],
      // A consumer without its queue would make the rule check nothing.
      [resource(consumer, consuming), lambda(work)],
    ],
  }),
  each(consumer, {
    rule: 'a consumer scales no further than its reservation',
    source: `${guide}services-sqs-scaling.html`,
    breach(mapping, own) {
      const { maximumConcurrency: most } = (mapping.inputs.scalingConfig ?? {}) as {
        maximumConcurrency?: number
      }
      const reserved = Number(consumedBy(mapping, own)?.inputs.reservedConcurrentExecutions ?? -1)
      return reserved >= 0 && (most ?? accountInstances) > reserved
        ? `scales to ${most ?? 'any number'} with ${reserved} reserved`
        : undefined
    },
    refuses: [
      [
        resource(consumer, { ...consuming, scalingConfig: { maximumConcurrency: 11 } }),
        lambda(work),
      ],
      [resource(consumer, consuming), lambda(work)],
    ],
  }),
  children({
    // 20 KB a policy, of at most 700 bytes a permission.
    rule: 'permissions of a function’s policy',
    type: 'aws:lambda/permission:Permission',
    parent: 'function',
    most: 29,
    source: `${guide}gettingstarted-limits.html`,
  }),
]
