import type { Declared } from './declare.ts'
import type { Inputs } from './mocks.ts'

/** The rules of a security group, in no order: resources are declared as what they wait for is known. */
export function securityRules(
  stack: Declared,
  direction: 'Ingress' | 'Egress',
  group: string,
): Inputs[] {
  const rules = stack.all(`aws:vpc/securityGroup${direction}Rule:SecurityGroup${direction}Rule`)
  return [...rules.values()].filter(({ securityGroupId }) => securityGroupId === `${group}-id`)
}

/** What a rule for one port of TCP says. */
export const port = (number: number) => ({ ipProtocol: 'tcp', fromPort: number, toPort: number })
