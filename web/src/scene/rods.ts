import * as THREE from 'three';

// Many rods, cones, balls or discs at once: instances of one mesh, each with a matrix and a colour.

const up = new THREE.Vector3(0, 1, 0);

export class Instances {
  readonly object: THREE.InstancedMesh;
  private count = 0;
  private readonly matrix = new THREE.Matrix4();
  private readonly quaternion = new THREE.Quaternion();
  private readonly place = new THREE.Vector3();
  private readonly size = new THREE.Vector3();
  private readonly axis = new THREE.Vector3();

  constructor(
    private readonly geometry: THREE.BufferGeometry,
    private readonly material: THREE.Material,
    private readonly parent: THREE.Object3D,
    private capacity = 64,
  ) {
    this.object = this.make();
  }

  private make(): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, this.capacity);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.capacity).fill(1), 3);
    mesh.frustumCulled = false;
    mesh.count = 0;
    this.parent.add(mesh);
    return mesh;
  }

  begin(): void {
    this.count = 0;
  }

  /** Room for more: the memory of the instances is replaced, the object stays. */
  private grow(): void {
    const mesh = this.object;
    this.capacity *= 2;
    const matrices = new Float32Array(16 * this.capacity);
    matrices.set(mesh.instanceMatrix.array as Float32Array);
    const colours = new Float32Array(3 * this.capacity).fill(1);
    colours.set(mesh.instanceColor!.array as Float32Array);
    mesh.dispose();
    mesh.instanceMatrix = new THREE.InstancedBufferAttribute(matrices, 16);
    mesh.instanceColor = new THREE.InstancedBufferAttribute(colours, 3);
  }

  private put(colour: THREE.Color): void {
    if (this.count === this.capacity) this.grow();
    this.object.setMatrixAt(this.count, this.matrix);
    this.object.setColorAt(this.count, colour);
    ++this.count;
  }

  /** Along its own y axis from one point to another, as thick as said. */
  between(from: readonly number[], to: readonly number[], thickness: number, colour: THREE.Color): void {
    this.axis.set(to[0]! - from[0]!, to[1]! - from[1]!, to[2]! - from[2]!);
    const length = this.axis.length();
    if (!(length > 0)) return;
    this.quaternion.setFromUnitVectors(up, this.axis.divideScalar(length));
    this.place.set((from[0]! + to[0]!) / 2, (from[1]! + to[1]!) / 2, (from[2]! + to[2]!) / 2);
    this.matrix.compose(this.place, this.quaternion, this.size.set(thickness, length, thickness));
    this.put(colour);
  }

  /** At a point, its y axis along `axis`. */
  at(point: readonly number[], axis: readonly number[], size: readonly number[], colour: THREE.Color): void {
    this.axis.set(axis[0]!, axis[1]!, axis[2]!).normalize();
    this.quaternion.setFromUnitVectors(up, this.axis);
    this.place.set(point[0]!, point[1]!, point[2]!);
    this.matrix.compose(this.place, this.quaternion, this.size.set(size[0]!, size[1]!, size[2]!));
    this.put(colour);
  }

  end(): void {
    this.object.count = this.count;
    this.object.visible = this.count > 0;
    this.object.instanceMatrix.needsUpdate = true;
    if (this.object.instanceColor) this.object.instanceColor.needsUpdate = true;
  }

  get used(): number {
    return this.count;
  }

  dispose(): void {
    this.parent.remove(this.object);
    this.object.dispose();
  }
}

export const rodGeometry = new THREE.CylinderGeometry(1, 1, 1, 12, 1);
export const coneGeometry = new THREE.ConeGeometry(1, 1, 16, 1);
export const ballGeometry = new THREE.IcosahedronGeometry(1, 2);
export const discGeometry = new THREE.CylinderGeometry(1, 1, 1, 24, 1);
export const boxGeometry = new THREE.BoxGeometry(1, 1, 1);
