import t from 'tap';
import { storeContract } from '../contract/store/index.ts';
import { folder } from './setup.ts';

storeContract(t, folder);
