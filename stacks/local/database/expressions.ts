import type { AttributeValue, Path } from './values.ts'

/** An operand of a parsed expression: a path, a literal, or `size(path)`. */
export type Operand = Path | AttributeValue | { type: 'function'; name: 'size'; args: Operand[] }

/** A condition or filter as dynalite's grammar parses it, with placeholders replaced. */
export type Condition =
  | { type: 'and' | 'or' | 'not'; args: Condition[] }
  | { type: 'function'; name: string; args: Operand[] }
  | { type: Comparison; args: Operand[] }

type Comparison = '=' | '<>' | '<' | '<=' | '>' | '>=' | 'between' | 'in'

/** The value of a SET: a literal, a path, or an operator or function on them. */
export type Expression =
  | AttributeValue
  | Path
  | { type: 'add' | 'subtract'; args: [Expression, Expression] }
  | { type: 'function'; name: 'list_append'; args: [Expression, Expression] }
  | { type: 'function'; name: 'if_not_exists'; args: [Path, Expression] }

/** One action of an update expression, as dynalite's grammar parses it. */
export type Action =
  | { type: 'set'; path: Path; val: Expression }
  | { type: 'remove'; path: Path }
  | { type: 'add' | 'delete'; path: Path; val: AttributeValue }
