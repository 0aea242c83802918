import type { Inputs } from '../harness/mocks.ts'
import { between, each, many, property, quota, resource, unique } from './rule.ts'
import type { Rule } from './rule.ts'

const ecs = 'https://docs.aws.amazon.com/AmazonECS/latest/APIReference/'
const ecsLimits = 'https://docs.aws.amazon.com/AmazonECS/latest/developerguide/service-quotas.html'
const fargate =
  'https://docs.aws.amazon.com/AmazonECS/latest/developerguide/fargate-tasks-services.html'
const ssm = 'https://docs.aws.amazon.com/systems-manager/latest/APIReference/'

const cluster = 'aws:ecs/cluster:Cluster'
const service = 'aws:ecs/service:Service'
const task = 'aws:ecs/taskDefinition:TaskDefinition'
const parameter = 'aws:ssm/parameter:Parameter'

const gb = (least: number, most: number, step = 1) =>
  Array.from({ length: (most - least) / step + 1 }, (_, i) => (least + i * step) * 1024)

/** The memory in MiB that Fargate offers for each size of CPU. */
const sizes: Record<string, readonly number[]> = {
  256: [512, 1024, 2048],
  512: gb(1, 4),
  1024: gb(2, 8),
  2048: gb(4, 16),
  4096: gb(8, 30),
  8192: gb(16, 60, 4),
  16384: gb(32, 120, 8),
}

const containersOf = ({ containerDefinitions }: Inputs) =>
  JSON.parse(String(containerDefinitions ?? '[]')) as {
    name: string
    stopTimeout?: number
    environment?: { name: string }[]
    secrets?: { name: string }[]
  }[]

const withContainer = (container: object) =>
  resource(task, { containerDefinitions: JSON.stringify([{ name: 'one', ...container }]) })

export const containerRules: Rule[] = [
  property({
    type: [cluster, service],
    property: 'name',
    allows: /^[\w-]{1,255}$/,
    refuses: ['x'.repeat(256), 'the agents'],
    source: `${ecs}API_CreateCluster.html`,
  }),
  unique({ type: cluster, property: 'name', source: `${ecs}API_CreateCluster.html` }),
  unique({ type: task, property: 'family', source: `${ecs}API_RegisterTaskDefinition.html` }),
  property({
    type: task,
    property: 'family',
    allows: /^[\w-]{1,255}$/,
    refuses: ['x'.repeat(256), 'agent.solo'],
    source: `${ecs}API_RegisterTaskDefinition.html`,
  }),
  each(task, {
    rule: 'a task has a size that Fargate offers',
    source: fargate,
    breach: ({ inputs: { cpu, memory } }) =>
      sizes[String(cpu)]?.includes(Number(memory)) === true
        ? undefined
        : `has ${String(cpu)} CPU units and ${String(memory)} MiB`,
    refuses: [
      [resource(task, { cpu: '512', memory: '512' })],
      [resource(task, { cpu: '4096', memory: '4096' })],
      [resource(task, { cpu: '300', memory: '1024' })],
    ],
  }),
  each(task, {
    rule: 'a task definition has at most 64 KB and 10 containers',
    source: ecsLimits,
    breach({ inputs }) {
      const size = Buffer.byteLength(JSON.stringify(inputs))
      if (size > 65_536) return `has ${size} bytes`
      return containersOf(inputs).length > 10 ? 'has more containers' : undefined
    },
    refuses: [
      [withContainer({ command: ['x'.repeat(65_536)] })],
      [resource(task, { containerDefinitions: JSON.stringify(many(11, { name: 'one' })) })],
    ],
  }),
  each(task, {
    rule: 'a container on Fargate stops within 120 s',
    source: `${ecs}API_ContainerDefinition.html`,
    breach: ({ inputs }) =>
      containersOf(inputs).some(({ stopTimeout = 30 }) => stopTimeout > 120)
        ? 'waits longer'
        : undefined,
    refuses: [[withContainer({ stopTimeout: 121 })]],
  }),
  each(task, {
    rule: 'a container’s variables and secrets have names of their own',
    source: `${ecs}API_ContainerDefinition.html`,
    breach({ inputs }) {
      const twice = containersOf(inputs).filter(({ environment = [], secrets = [] }) => {
        const names = [...environment, ...secrets].map(({ name }) => name)
        return new Set(names).size < names.length
      })
      return twice.length > 0
        ? `names one twice in ${twice.map(({ name }) => name).join(', ')}`
        : undefined
    },
    refuses: [[withContainer({ environment: [{ name: 'KEY' }], secrets: [{ name: 'KEY' }] })]],
  }),
  property({
    type: 'aws:appautoscaling/target:Target',
    property: 'resourceId',
    allows: /^service\/[\w-]{1,255}\/[\w-]{1,255}$/,
    refuses: ['service/one', 'one/two'],
    source:
      'https://docs.aws.amazon.com/autoscaling/application/APIReference/API_RegisterScalableTarget.html',
  }),
  each(service, {
    rule: 'a service has a launch type or a strategy of capacity providers, not both',
    source: `${ecs}API_CreateService.html`,
    breach: ({ inputs: { capacityProviderStrategies, launchType } }) =>
      capacityProviderStrategies !== undefined && launchType !== undefined ? 'has both' : undefined,
    refuses: [[resource(service, { capacityProviderStrategies: [{}], launchType: 'FARGATE' })]],
  }),
  quota({ rule: 'clusters', type: cluster, most: 10_000, others: 100, source: ecsLimits }),
  property({
    type: parameter,
    property: 'name',
    allows: /^\/(?!aws|ssm)[\w.\-/]{1,1010}$/,
    refuses: ['/aws/secret', '/ssm/secret', `/${'x'.repeat(1011)}`, '/a b'],
    source: `${ssm}API_PutParameter.html`,
  }),
  unique({ type: parameter, property: 'name', source: `${ssm}API_PutParameter.html` }),
  each(parameter, {
    rule: 'a standard parameter has at most 4 KB',
    source: `${ssm}API_PutParameter.html`,
    breach({ inputs: { tier = 'Standard', value } }) {
      const bytes = Buffer.byteLength(String(value))
      return bytes > (tier === 'Standard' ? 4096 : 8192) ? `has ${bytes} bytes` : undefined
    },
    refuses: [
      [resource(parameter, { value: 'x'.repeat(4097) })],
      [resource(parameter, { tier: 'Intelligent-Tiering', value: 'x'.repeat(8193) })],
    ],
  }),
  property({
    type: 'aws:efs/accessPoint:AccessPoint',
    property: 'rootDirectory.path',
    allows: /^\/(?:[^/]+(?:\/[^/]+){0,3})?$/,
    refuses: ['workspace', '/a/b/c/d/e'],
    source: 'https://docs.aws.amazon.com/efs/latest/ug/API_RootDirectory.html',
  }),
  property({
    type: service,
    property: 'deploymentMinimumHealthyPercent',
    ...between(0, 100),
    refuses: [101],
    source: `${ecs}API_DeploymentConfiguration.html`,
  }),
]
