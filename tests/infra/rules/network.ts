import type { Inputs } from '../harness/mocks.ts'
import { between, children, each, many, property, quota, resource } from './rule.ts'
import type { Rule } from './rule.ts'

const ec2 = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/'
const vpcLimits = 'https://docs.aws.amazon.com/vpc/latest/userguide/amazon-vpc-limits.html'
const elb = 'https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/'
const elbLimits =
  'https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-limits.html'

const group = 'aws:ec2/securityGroup:SecurityGroup'
const ingress = 'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule'
const egress = 'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule'
const balancer = 'aws:lb/loadBalancer:LoadBalancer'
const target = 'aws:lb/targetGroup:TargetGroup'
const listener = 'aws:lb/listener:Listener'
const listenerRule = 'aws:lb/listenerRule:ListenerRule'

/** The number of digits that Pulumi adds to a prefix. */
const generatedDigits = 26

/** The region of the stages under the mocks. */
const region = 'eu-west-1'

const pathsOf = ({ conditions }: Inputs) =>
  ((conditions ?? []) as { pathPattern?: { values: string[] } }[]).flatMap(
    ({ pathPattern }) => pathPattern?.values ?? [],
  )

export const networkRules: Rule[] = [
  property({
    type: [group, ingress, egress],
    property: 'description',
    allows: /^[a-zA-Z0-9 ._\-:/()#,@[\]+=&;{}!$*]{1,255}$/,
    refuses: ['The agents’ hosts', "The agents' hosts", 'x'.repeat(256), ''],
    source: `${ec2}API_CreateSecurityGroup.html`,
  }),
  property({
    type: group,
    property: 'namePrefix',
    rule: `has allowed characters, and room for ${generatedDigits} digits`,
    allows: (value) =>
      /^(?!sg-)[a-zA-Z0-9 ._\-:/()#,@[\]+=&;{}!$*]+$/.test(String(value)) &&
      String(value).length + generatedDigits <= 255,
    refuses: ['sg-agents-', 'agents’-', 'x'.repeat(230)],
    source: `${ec2}API_CreateSecurityGroup.html`,
  }),
  ...[ingress, egress].map((type) =>
    children({
      rule: `rules of a security group (${type.split(':').at(-1)})`,
      type,
      parent: 'securityGroupId',
      most: 60,
      source: vpcLimits,
    }),
  ),
  // A region has a default VPC.
  quota({
    rule: 'VPCs in a region',
    type: 'aws:ec2/vpc:Vpc',
    most: 5,
    others: 1,
    source: vpcLimits,
  }),
  quota({
    rule: 'Elastic IP addresses in a region',
    type: 'aws:ec2/eip:Eip',
    most: 5,
    others: 1,
    source: vpcLimits,
  }),
  quota({
    rule: 'security groups in a region',
    type: group,
    most: 2500,
    others: 100,
    source: vpcLimits,
  }),
  children({
    rule: 'subnets of a VPC',
    type: 'aws:ec2/subnet:Subnet',
    parent: 'vpcId',
    most: 200,
    source: vpcLimits,
  }),
  children({
    rule: 'additional address ranges of a VPC',
    type: 'aws:ec2/vpcIpv4CidrBlockAssociation:VpcIpv4CidrBlockAssociation',
    parent: 'vpcId',
    most: 4,
    source: vpcLimits,
  }),
  property({
    type: [balancer, target],
    property: 'name',
    allows: /^(?!internal-|-)[a-zA-Z0-9-]{1,32}(?<!-)$/,
    refuses: ['x'.repeat(33), 'internal-web', '-web', 'web-', 'web_services'],
    // Pulumi refuses a logical name that leaves no room for its own characters.
    generated: true,
    source: `${elb}API_CreateLoadBalancer.html`,
  }),
  property({
    type: balancer,
    property: 'idleTimeout',
    ...between(1, 4000),
    refuses: [0, 4001],
    source: `${elb}API_LoadBalancerAttribute.html`,
  }),
  property({
    type: target,
    property: 'deregistrationDelay',
    ...between(0, 3600),
    refuses: [3601],
    source: `${elb}API_TargetGroupAttribute.html`,
  }),
  each(balancer, {
    rule: 'a load balancer has subnets in at least two zones',
    source: `${elb}API_CreateLoadBalancer.html`,
    breach: ({ inputs }) =>
      new Set((inputs.subnets ?? []) as string[]).size < 2 ? 'has fewer' : undefined,
    refuses: [[resource(balancer, { subnets: ['subnet-1', 'subnet-1'] })]],
  }),
  each(listener, {
    rule: 'a listener with TLS has a certificate of its region, and one without has none',
    source: `${elb}API_CreateListener.html`,
    breach({ inputs: { protocol, certificateArn } }) {
      if (protocol !== 'HTTPS')
        return certificateArn === undefined ? undefined : 'has a certificate without TLS'
      const own = String(certificateArn).startsWith(`arn:aws:acm:${region}:`)
      return own ? undefined : `has the certificate ${String(certificateArn)}`
    },
    refuses: [
      [resource(listener, { protocol: 'HTTPS' })],
      [resource(listener, { protocol: 'HTTPS', certificateArn: 'arn:aws:acm:us-east-1:1:c/1' })],
      [resource(listener, { protocol: 'HTTP', certificateArn: 'arn:aws:acm:eu-west-1:1:c/1' })],
    ],
  }),
  each(listenerRule, {
    rule: 'a listener’s rule compares at most 5 values, each a path of at most 128 characters',
    source: elbLimits,
    breach({ inputs }) {
      const paths = pathsOf(inputs)
      const wrong = paths.filter((path) => !/^[\w\-.$/~"'@:+&*?]{1,128}$/.test(path))
      if (wrong.length > 0) return `compares ${wrong.join(', ')}`
      return paths.length > 5 ? `compares ${paths.length}` : undefined
    },
    refuses: [
      [resource(listenerRule, { conditions: [{ pathPattern: { values: many(6, '/a') } }] })],
      [resource(listenerRule, { conditions: [{ pathPattern: { values: ['/a b'] } }] })],
      [resource(listenerRule, { conditions: [{ pathPattern: { values: ['x'.repeat(129)] } }] })],
    ],
  }),
  children({
    rule: 'rules of a load balancer',
    type: listenerRule,
    parent: 'listenerArn',
    most: 100,
    source: elbLimits,
  }),
  quota({ rule: 'load balancers', type: balancer, most: 50, others: 10, source: elbLimits }),
]
