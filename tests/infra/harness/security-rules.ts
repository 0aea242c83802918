import type { Declared } from './declare.ts'
import type { Inputs } from './mocks.ts'

/**
 * Returns the rules of a security group, without a defined order: resources are declared once their inputs are known.
 */
export function securityRules(
  stack: Declared,
  direction: 'Ingress' | 'Egress',
  group: string,
): Inputs[] {
  const rules = stack.all(`aws:vpc/securityGroup${direction}Rule:SecurityGroup${direction}Rule`)
  return [...rules.values()].filter(({ securityGroupId }) => securityGroupId === `${group}-id`)
}

/** Returns the fields of a rule for one TCP port. */
export const port = (number: number) => ({ ipProtocol: 'tcp', fromPort: number, toPort: number })
