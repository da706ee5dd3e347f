import multiprocessing as mp
import aws_cdk as cdk
from aws_cdk import aws_s3 as s3
def f(x): return x*2
if __name__ == "__main__":
    mp.set_start_method("spawn")
    with mp.Pool(1) as p: print(p.map(f, [1]))
    app = cdk.App(); s3.Bucket(cdk.Stack(app, "S"), "B"); app.synth()
