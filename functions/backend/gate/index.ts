import { admitRequest } from './admit.ts'

export const routes = [admitRequest]
