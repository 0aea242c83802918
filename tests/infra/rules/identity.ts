import type { Inputs } from '../harness/mocks.ts'
import { sizeAtAws } from './physical.ts'
import { between, each, many, property, quota, resource, unique } from './rule.ts'
import type { Rule, Stage } from './rule.ts'

const iam = 'https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html'
const role = 'aws:iam/role:Role'
const key = 'aws:kms/key:Key'

/** IAM does not count white space. */
const sizeOf = (policies: readonly unknown[], own: Stage) =>
  policies.reduce<number>(
    (sum, policy) => sum + sizeAtAws(JSON.stringify(JSON.parse(String(policy))), own),
    0,
  )

const policiesOf = ({ inlinePolicies }: Inputs) =>
  ((inlinePolicies ?? []) as Inputs[]).map(({ policy }) => policy)

const allowing = (resources: readonly string[]) =>
  JSON.stringify({
    Statement: [{ Effect: 'Allow', Action: 'sqs:SendMessage', Resource: resources }],
  })

export const identityRules: Rule[] = [
  property({
    type: role,
    property: 'name',
    allows: /^[\w+=,.@-]{1,64}$/,
    refuses: ['x'.repeat(65), 'role of a function', 'rôle'],
    generated: true,
    source: iam,
  }),
  // IAM is global: the names of two stages collide even in different regions.
  unique({ type: role, property: 'name', source: iam }),
  each(role, {
    rule: 'the inline policies of a role have at most 10,240 characters, with physical names',
    source: iam,
    breach({ inputs }, own) {
      const size = sizeOf(policiesOf(inputs), own)
      return size > 10_240 ? `has inline policies of ${size} characters` : undefined
    },
    refuses: [
      [resource(role, { inlinePolicies: [{ policy: allowing(['x'.repeat(10_240)]) }] })],
      [
        resource(role, {
          inlinePolicies: [1, 2].map(() => ({ policy: allowing(['x'.repeat(5120)]) })),
        }),
      ],
      // Short under the mocks, long at AWS.
      [
        resource(role, {
          inlinePolicies: [{ policy: allowing(Array<string>(150).fill('sqs:1:2:Q')) }],
        }),
        resource('aws:sqs/queue:Queue', { name: 'q'.repeat(80) }, 'Q'),
      ],
    ],
  }),
  each(role, {
    rule: 'the trust policy of a role has at most 2,048 characters',
    source: iam,
    breach({ inputs }, own) {
      const size = sizeOf([inputs.assumeRolePolicy], own)
      return size > 2048 ? `has a trust policy of ${size} characters` : undefined
    },
    refuses: [[resource(role, { assumeRolePolicy: allowing(['x'.repeat(2048)]) })]],
  }),
  each(role, {
    rule: 'a role has at most 10 managed policies',
    source: iam,
    breach: ({ inputs }) =>
      ((inputs.managedPolicyArns ?? []) as unknown[]).length > 10 ? 'has more' : undefined,
    refuses: [[resource(role, { managedPolicyArns: many(11, 'arn') })]],
  }),
  quota({ rule: 'roles', type: role, most: 1000, others: 200, source: iam }),
  property({
    type: key,
    property: 'description',
    allows: /^[^]{0,8192}$/,
    refuses: ['x'.repeat(8193)],
    source: 'https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html',
  }),
  property({
    type: key,
    property: 'deletionWindowInDays',
    ...between(7, 30),
    refuses: [6, 31],
    source: 'https://docs.aws.amazon.com/kms/latest/APIReference/API_ScheduleKeyDeletion.html',
  }),
  property({
    type: key,
    property: 'policy',
    allows: /^[\t\n\r\u0020-\u00ff]{1,32768}$/,
    refuses: ['x'.repeat(32_769), 'the wallet’s key'],
    source: 'https://docs.aws.amazon.com/kms/latest/APIReference/API_CreateKey.html',
  }),
]
